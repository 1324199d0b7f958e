import { route } from '@botwright/framework'

export default route({ verify: false, respond: true, run: (ctx) => ({ bot: ctx.me.username }) })
