import { row, task } from '@botwright/framework'
import answer from '../buttons/answer.ts'
import team from '../state/team.ts'

export default task({
  cron: '0 9 * * 1-5',
  timezone: { env: 'TEAM_ZONE' },
  run: async (ctx) => {
    for (const { value: members } of await team.list(ctx))
      for (const user_id of members)
        await ctx.dm(user_id, {
          content: 'Good morning! Time for the standup.',
          components: [row(answer.button({ label: 'Answer' }))],
        })
  },
})
