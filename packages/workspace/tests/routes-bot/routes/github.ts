import { header, hmac, route } from '@botwright/framework'
import { z } from 'zod'

export default route({
  verify: hmac({ header: 'x-hub-signature-256', secret: 'GITHUB_SECRET' }),
  id: header('x-github-delivery'),
  // GitHub sends a ping without a release first. A release can lack a name.
  body: z.object({
    action: z.string().optional(),
    release: z.object({ name: z.string().nullable(), tag_name: z.string(), html_url: z.url() }).optional(),
  }),
  run: (ctx) => {
    const { action, release } = ctx.body
    if (action === 'published' && release)
      return ctx.send(String(ctx.env.RELEASES), `**${release.name || release.tag_name}** is out: ${release.html_url}`)
  },
})
