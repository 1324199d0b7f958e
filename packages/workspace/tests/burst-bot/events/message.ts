import { event } from '@botwright/framework'

export default event('message', {
  gather: { quiet: '1.5s', max: '10s' },
  run: (ctx) => `You wrote: ${ctx.events.map(({ content }) => content).join(' / ')}`,
})
