/** The storage behind a fake plugin: the controller's records. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.storage;

import org.jspecify.annotations.NullMarked;
