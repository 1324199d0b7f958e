import { event } from '@botwright/framework'

/** Clicks on buttons that have no file: this one was made by hand. */
export default event('interaction', (ctx) => ctx.update(`${ctx.user.name} clicked ${ctx.custom_id}`))
