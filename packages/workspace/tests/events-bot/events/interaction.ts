import { event } from '@botwright/framework'

/** Clicks on buttons without a file, such as one created by hand. */
export default event('interaction', (ctx) => ctx.update(`${ctx.user.name} clicked ${ctx.custom_id}`))
