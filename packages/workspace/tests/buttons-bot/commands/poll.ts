import { button, command, duration, embed, row } from '@botwright/framework'
import vote from '../buttons/vote.ts'

export default command({
  description: 'Asks for votes',
  args: { for: duration().default('1h') },
  run: (ctx) => {
    const poll = ctx.event.id
    const until = new Date(ctx.clock.now() + ctx.args.for)
    return {
      embeds: [embed({ title: 'Tea?', color: '#3366ff' })],
      components: [
        row(
          vote.button({ poll, choice: 'yes', until }, { label: 'Yes', style: 'success' }),
          vote.button({ poll, choice: 'no', until }, { emoji: '👎' }),
          ctx.button('vote', { poll, choice: 'maybe', until }, { label: 'Maybe' }),
          button.link({ label: 'Why?', url: 'https://example.com/tea' }),
        ),
      ],
    }
  },
})
