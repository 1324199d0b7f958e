import { command, user } from '@botwright/framework'
import karma from '../plugin.ts'
import points from '../state/points.ts'

export default command({
  description: 'Gives karma to a person',
  args: { person: user() },
  run: async (ctx) => {
    const { step } = karma.options(ctx)
    const user_id = ctx.args.person
    return `Karma: ${await points.of(ctx, { user_id }).update((count) => count + step)}`
  },
})
