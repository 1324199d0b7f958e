import { command } from '@botwright/framework'

export default command({ description: 'Replies', run: () => 'Pong' })
