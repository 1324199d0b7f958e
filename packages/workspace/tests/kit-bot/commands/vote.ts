import { command, row } from '@botwright/framework'
import choose from '../buttons/choose.ts'

export default command({
  description: 'Asks a question with two buttons',
  run: (ctx) =>
    ctx.reply({
      content: 'Tea or coffee?',
      components: [
        row(
          choose.button({ drink: 'tea' }, { label: 'Tea', emoji: '🍵', style: 'primary' }),
          choose.button({ drink: 'coffee' }, { label: 'Coffee', style: 'secondary' }),
        ),
      ],
    }),
})
