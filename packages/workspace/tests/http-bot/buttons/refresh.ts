import { button, text } from '@botwright/framework'
import { forecast } from '../lib/forecast.ts'

export default button({
  params: { city: text({ max: 40 }) },
  run: async (ctx) => {
    const { FORECAST_URL: url, FORECAST_KEY: key } = ctx.env as { FORECAST_URL: string; FORECAST_KEY: string }
    await ctx.ack()
    const latest = await forecast(ctx.params.city, { url, key, signal: ctx.signal })
    await ctx.edit({ channel_id: ctx.channel_id, id: ctx.event.message_id }, latest ?? 'The forecast is not available.')
  },
})
