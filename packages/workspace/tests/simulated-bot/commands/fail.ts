import { command, rest } from '@botwright/framework'

export default command({
  description: 'Throws',
  args: { text: rest() },
  run: (ctx) => {
    throw new Error(`failed on purpose: ${ctx.args.text}`)
  },
})
