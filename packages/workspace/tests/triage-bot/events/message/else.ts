import { directMessage, event } from '@botwright/framework'

export default event('message', {
  otherwise: true,
  when: directMessage(),
  run: () => 'Ask me about a bug, such as BUG-12.',
})
