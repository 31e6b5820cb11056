/** Files that hold lists of plugin instances. */
@NullMarked
package io.csi4j.client.registry.internal.store;

import org.jspecify.annotations.NullMarked;
