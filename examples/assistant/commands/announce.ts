import { command, ownerOnly, rest } from '@botwright/framework'

export default command({
  description: 'Announces something',
  args: { words: rest({ max: 500 }) },
  guards: [ownerOnly()],
  run: (ctx) => `📣 ${ctx.args.words}`,
})
