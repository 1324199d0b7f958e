import { command, integer } from '@botwright/framework'

/** `/roll` or `/roll 3`: the name comes from the file, the help from the arguments. */
export default command({
  description: 'Rolls dice',
  args: { dice: integer({ min: 1, max: 10 }).default(1) },
  run: (ctx) => {
    const rolls = Array.from({ length: ctx.args.dice }, () => Math.ceil(Math.random() * 6))
    const sum = rolls.reduce((total, roll) => total + roll)
    return `${ctx.user.name} rolls ${rolls.join(' + ')} = ${sum}`
  },
})
