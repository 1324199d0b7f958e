import { defineConfig } from '@botwright/framework'
import languages from '@botwright/languages'
import polls from '@botwright/plugins/polls'
import reactionRoles from '@botwright/plugins/reaction-roles'
import welcome from '@botwright/plugins/welcome'

export default defineConfig({
  plugins: {
    languages: languages(),
    polls: polls({ color: '#2e8b57' }),
    welcome: welcome({ direct: 'Hello, {member}! {this} is not a value.', role: 'invite\u0301' }),
    'reaction-roles': reactionRoles({
      messages: {
        colors: { text: 'Choose your colors:', roles: { '❤️': 'red', '💙': 'blue' } },
        rules: {
          text: 'React with ✅ to agree.',
          roles: { '✅': 'invite\u0301' },
          list: false,
          removable: false,
          thanks: 'Welcome!',
        },
      },
    }),
  },
})
