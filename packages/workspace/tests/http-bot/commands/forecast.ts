import { command, rest, row } from '@botwright/framework'
import refresh from '../buttons/refresh.ts'
import { forecast } from '../lib/forecast.ts'

export default command({
  description: 'Shows the forecast for a city',
  args: { city: rest({ max: 40 }) },
  run: async (ctx) => {
    const { FORECAST_URL: url, FORECAST_KEY: key } = ctx.env as { FORECAST_URL: string; FORECAST_KEY: string }
    const text = await forecast(ctx.args.city, { url, key, signal: ctx.signal })
    if (text === undefined) return 'The forecast is not available. Try again later.'
    return { content: text, components: [row(refresh.button({ city: ctx.args.city }, { label: 'Refresh' }))] }
  },
})
