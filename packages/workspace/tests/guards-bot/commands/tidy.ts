import { command, hasPermission } from '@botwright/framework'

export default command({
  description: 'Tidies up',
  guards: [hasPermission('Manage messages')],
  run: () => 'tidy',
})
