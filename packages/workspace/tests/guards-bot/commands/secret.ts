import { command, dmOnly, not, hasRole } from '@botwright/framework'

export default command({
  description: 'Told in private',
  guards: [dmOnly(), not(hasRole('Staff'))],
  run: () => '42',
})
