import { command, rest } from '@botwright/framework'

/** Answers a burst of commands once. */
export default command({
  description: 'Stores notes',
  args: { text: rest() },
  gather: { quiet: '2s', max: '10s' },
  run: (ctx) => `noted ${ctx.events.map(({ content }) => content.replace('/note ', '')).join(' ')}`,
})
