import { bearer, route } from '@botwright/framework'
import { z } from 'zod'

export default route('/[team]/alert', {
  verify: bearer('ALERT_TOKEN'),
  body: z.object({ text: z.string() }),
  key: ({ params }) => params['team'],
  retry: true,
  run: (ctx) => ctx.send(String(ctx.env.RELEASES), `🚨 ${ctx.params.team}: ${ctx.body.text}`),
})
