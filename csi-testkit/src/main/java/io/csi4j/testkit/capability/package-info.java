/**
 * What a fake plugin can be told to offer or not to offer.
 *
 * <p>Each constant of {@link io.csi4j.testkit.capability.FakeCapability} is one capability of CSI; its name is the one
 * of CSI, with the service before it where two services use the same name.
 */
@NullMarked
package io.csi4j.testkit.capability;

import org.jspecify.annotations.NullMarked;
