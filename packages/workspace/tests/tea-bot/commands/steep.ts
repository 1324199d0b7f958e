import { command, oneOf } from '@botwright/framework'

const minutes = { black: 4, green: 2, mint: 7 }

export default command({
  description: 'Shows how long a tea steeps',
  args: { tea: oneOf('black', 'green', 'mint') },
  run: (ctx) => `${ctx.args.tea} tea steeps ${minutes[ctx.args.tea]} minutes.`,
})
