import { bearer, route } from '@botwright/framework'
import { z } from 'zod'

export default route('/[team]/deploy', {
  verify: bearer('DEPLOY_TOKEN'),
  body: z.object({ version: z.string() }),
  key: ({ params }) => params['team'],
  retry: true,
  run: (ctx) => ctx.send(String(ctx.env.RELEASES), `Team ${ctx.params.team} deployed ${ctx.body.version}`),
})
