import { state } from '@botwright/framework'

export default state({ scope: 'user', initial: 100 })
