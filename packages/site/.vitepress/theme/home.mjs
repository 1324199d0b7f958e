import { Content } from 'vitepress'
import VPHomeContent from 'vitepress/dist/client/theme-default/components/VPHomeContent.vue'
import VPHomeFeatures from 'vitepress/dist/client/theme-default/components/VPHomeFeatures.vue'
import VPHomeHero from 'vitepress/dist/client/theme-default/components/VPHomeHero.vue'
import { h } from 'vue'

/** The home page as the main landmark, which VitePress's own component in its place lacks. */
export default (_, { slots }) =>
  h('main', { class: 'VPHome' }, [h(VPHomeHero, null, slots), h(VPHomeFeatures), h(VPHomeContent, () => h(Content))])
