import { button } from '@botwright/framework'

export default button({
  run: (ctx) => {
    const { channel, start, alone } = ctx.options
    const turns = alone ? '' : ' Nobody says two numbers in a row.'
    return ctx.ephemeral(`Count in #${channel}, beginning with ${start}.${turns}`)
  },
})
