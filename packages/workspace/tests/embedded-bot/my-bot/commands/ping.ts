import { command } from '@botwright/framework'

export default command({ description: 'Answers', run: () => 'pong' })
