import { command, text } from '@botwright/framework'

export default command({
  description: 'Replies with the answer of another server',
  args: { url: text() },
  run: async (ctx) => (await fetch(ctx.args.url)).text(),
})
