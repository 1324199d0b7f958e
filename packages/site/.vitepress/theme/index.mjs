import { h } from 'vue'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { HomeDemo, InstallLine } from './home-demo.mjs'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'home-hero-image': () => h(HomeDemo),
      'home-hero-actions-after': () => h(InstallLine),
    }),
}
