import { render } from 'preact'
import { App } from './app.tsx'
import { splitPath } from './halves.ts'
import { startNavigation } from './navigation.ts'
import { resume } from './session.ts'
import { Split } from './split.tsx'
import './theme.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/sign-in.css'
import './styles/sidebar.css'
import './styles/members.css'
import './styles/messages.css'
import './styles/markdown.css'
import './styles/embed.css'
import './styles/composer.css'
import './styles/popover.css'
import './styles/overlay.css'
import './styles/layout.css'
import './styles/screen.css'
import './styles/settings.css'
import './styles/boxes.css'
import './styles/fields.css'
import './styles/roles.css'
import './styles/developer.css'
import './styles/settings-narrow.css'
import './styles/inspector.css'
import './styles/save-test.css'
import './styles/split.css'
import './styles/phone.css'

const root = document.getElementById('app')
if (root && location.pathname === splitPath) render(<Split />, root)
else if (root) {
  startNavigation()
  void resume()
  render(<App />, root)
}
