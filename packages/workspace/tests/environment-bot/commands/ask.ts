import { command, row } from '@botwright/framework'

export default command({
  description: 'Asks whether it rains',
  run: (ctx) => ({
    content: 'Does it rain?',
    components: [row(ctx.button('weather/answer', { rain: true }, { label: 'Yes' }))],
  }),
})
