import { command, date } from '@botwright/framework'

export default command({
  description: 'Notifies the team that you are away',
  args: { until: date({ when: 'future', zone: (ctx) => String(ctx.env['TEAM_ZONE']) }) },
  examples: ['2030-03-01 9:00'],
  run: (ctx) => `${ctx.user.name} is away until ${ctx.args.until.toISOString()}`,
})
