import { command, integer } from '@botwright/framework'

/** A library that fails for each person. */
const add = (a: number, b: number): number => {
  if (Number.isInteger(a)) throw new Error(`no sum of ${a} and ${b}`)
  return a + b
}

export default command({
  description: 'Adds two numbers',
  args: { a: integer(), b: integer() },
  run: (ctx) => String(add(ctx.args.a, ctx.args.b)),
})
