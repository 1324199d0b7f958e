import { event } from '@botwright/framework'

export default event('shutdown', (ctx) => ctx.log.info({}, 'goodbye'))
