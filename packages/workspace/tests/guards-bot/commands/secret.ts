import { command, dmOnly, not, hasRole } from '@botwright/framework'

export default command({
  description: 'Replies privately',
  guards: [dmOnly(), not(hasRole('Staff'))],
  run: () => '42',
})
