import { render } from 'preact'
import { App } from './app.tsx'
import { splitPath } from './navigation/split-screen.ts'
import { startNavigation } from './navigation/navigation.ts'
import { resume } from './session/session.ts'
import { Split } from './navigation/split.tsx'
import './state/theme.ts'
import './styles/index.css'

const root = document.getElementById('app')
if (root && location.pathname === splitPath) render(<Split />, root)
else if (root) {
  startNavigation()
  void resume()
  render(<App />, root)
}
