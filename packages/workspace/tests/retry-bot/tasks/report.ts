import { task } from '@botwright/framework'
import { totals } from '../totals.ts'

export default task<{ channel_id: string; shop: string }>({
  retry: { errors: 5, after: '10s' },
  run: async (ctx) => {
    const { channel_id, shop } = ctx.payload
    await ctx.send(channel_id, `Sold today: ${await totals(shop)}`)
  },
})
