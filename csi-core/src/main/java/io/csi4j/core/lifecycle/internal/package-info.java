/** Creates and connects the parts of the lifecycle engine. */
@NullMarked
package io.csi4j.core.lifecycle.internal;

import org.jspecify.annotations.NullMarked;
