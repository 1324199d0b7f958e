import { command, text } from '@botwright/framework'
import report from '../tasks/report.ts'

export default command({
  description: 'Reports the totals in an hour',
  args: { shop: text().default('open') },
  run: async (ctx) => {
    await report.schedule(ctx, { in: '1h' }, { channel_id: ctx.channel_id, shop: ctx.args.shop })
    return 'In an hour.'
  },
})
