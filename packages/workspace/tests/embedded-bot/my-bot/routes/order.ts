import { hmac, route } from '@botwright/framework'
import { z } from 'zod'

export default route({
  verify: hmac({ header: 'x-shop-signature', secret: 'SHOP_SECRET' }),
  body: z.object({ number: z.int() }),
  run: (ctx) => ctx.send(String(ctx.env.ORDERS), `order ${ctx.body.number}`),
})
