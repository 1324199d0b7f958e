import { button } from '@botwright/framework'
import counting from '../plugin.ts'

export default button({
  run: (ctx) => {
    const { channel, start, alone } = counting.options(ctx)
    const turns = alone ? '' : ' You cannot post two numbers in a row.'
    return ctx.ephemeral(`Count in #${channel}, starting at ${start}.${turns}`)
  },
})
