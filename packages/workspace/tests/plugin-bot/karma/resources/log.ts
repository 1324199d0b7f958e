import { resource } from '@botwright/framework'
import karma from '../plugin.ts'

/** The thanks since the plugin was opened. */
export default resource({
  open: (ctx) => ({ step: karma.options(ctx).step, thanks: 0 }),
  close: (log) => (log.thanks = 0),
})
