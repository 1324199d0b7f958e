import { command } from '@botwright/framework'
import scores from '../state/scores.ts'

export default command({
  description: 'Counts the points of a person',
  run: async (ctx) => `You have ${await scores.of(ctx).update((points) => points + 1)} points.`,
})
