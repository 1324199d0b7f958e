import { command, text } from '@botwright/framework'

export default command({
  description: 'Greets in a language',
  args: { language: text() },
  run: (ctx) => ctx.t.in(ctx.args.language, 'morning'),
})
