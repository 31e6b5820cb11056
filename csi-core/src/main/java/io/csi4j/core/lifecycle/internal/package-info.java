/** The parts of the lifecycle engine, wired. */
@NullMarked
package io.csi4j.core.lifecycle.internal;

import org.jspecify.annotations.NullMarked;
