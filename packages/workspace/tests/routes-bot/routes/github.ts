import { header, hmac, route } from '@botwright/framework'
import { z } from 'zod'

export default route({
  verify: hmac({ header: 'x-hub-signature-256', secret: 'GITHUB_SECRET' }),
  id: header('x-github-delivery'),
  body: z.object({ action: z.string(), release: z.object({ name: z.string(), html_url: z.url() }) }),
  run: (ctx) => {
    const { action, release } = ctx.body
    if (action === 'published')
      return ctx.send(String(ctx.env.RELEASES), `**${release.name}** is out: ${release.html_url}`)
  },
})
