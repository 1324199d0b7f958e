import { button, command, row } from '@botwright/framework'
import encore from '../buttons/encore.ts'
import { notInRandom } from '../lib/quiet-channel.ts'

export default command({
  description: 'Sings',
  guards: [notInRandom],
  run: (ctx) =>
    ctx.reply({
      content: '♪',
      components: [
        row(encore.button({ label: 'Encore' }), button.link({ label: 'Text', url: 'https://example.com/song' })),
      ],
    }),
})
