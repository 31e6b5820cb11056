/** Values about one plugin instance: its registration, its state, its facts, and the limits of its connection. */
@NullMarked
package io.csi4j.registry.instance;

import org.jspecify.annotations.NullMarked;
