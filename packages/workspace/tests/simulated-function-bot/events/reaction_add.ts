import { event } from '@botwright/framework'

export default event('reaction_add', (ctx) => void ctx.log.info({}, 'a reaction'))
