import { event } from '@botwright/framework'

export default event('ready', (ctx) => ctx.log.info({}, `${ctx.me.username} is ready`))
