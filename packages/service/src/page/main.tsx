import { render } from 'preact'
import { App } from './app.tsx'
import { splitPath } from './halves.ts'
import { startNavigation } from './navigation.ts'
import { resume } from './session.ts'
import { Split } from './split.tsx'
import './theme.ts'
import './styles/index.css'

const root = document.getElementById('app')
if (root && location.pathname === splitPath) render(<Split />, root)
else if (root) {
  startNavigation()
  void resume()
  render(<App />, root)
}
