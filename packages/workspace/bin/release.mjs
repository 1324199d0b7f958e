#!/usr/bin/env node
import '../dist/release.js'
