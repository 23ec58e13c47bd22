import COpenSSL
package import Foundation
import SwiftASN1

/// Certificates in a CMS message without content or signer, as SCEP hands them out.
package enum CertificateBundle {
    /// Writes certs-only SignedData.
    package static func encode(_ certificates: [Data]) -> Data {
        let context0 = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
        var file = DER.Serializer()
        file.appendConstructedNode(identifier: .sequence) { contentInfo in
            contentInfo.appendPrimitiveNode(identifier: .objectIdentifier) {
                $0.append(contentsOf: ObjectIdentifiers.signedData)
            }
            contentInfo.appendConstructedNode(identifier: context0) { explicit in
                explicit.appendConstructedNode(identifier: .sequence) { signedData in
                    signedData.appendPrimitiveNode(identifier: .integer) { $0.append(1) }
                    signedData.appendConstructedNode(identifier: .set) { _ in }
                    signedData.appendConstructedNode(identifier: .sequence) { content in
                        content.appendPrimitiveNode(identifier: .objectIdentifier) {
                            $0.append(contentsOf: ObjectIdentifiers.data)
                        }
                    }
                    signedData.appendConstructedNode(identifier: context0) { set in
                        // A set in DER is sorted.
                        for certificate in certificates.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                            set.serializeRawBytes(certificate)
                        }
                    }
                    signedData.appendConstructedNode(identifier: .set) { _ in }
                }
            }
        }
        return Data(file.serializedBytes)
    }

    /// Reads the certificates of SignedData; signers, if any, are ignored.
    package static func decode(_ message: Data) throws(CMSRefusal) -> [Data] {
        try withEmptyErrorQueue { () throws(CMSRefusal) in
            let library = try LibraryContext.of(.modern)
            let cms = try unsafe library.message([UInt8](message))
            defer { unsafe CMS_ContentInfo_free(cms) }
            guard unsafe OBJ_obj2nid(CMS_get0_type(cms)) == NID_pkcs7_signed else { throw .wrongContent }
            try CMSShape.checkSignedData(try unsafe derBytes { unsafe i2d_CMS_ContentInfo(cms, $0) })
            let certificates = unsafe CMS_get1_certs(cms)
            defer { unsafe c_sk_X509_pop_free(certificates) }
            var found: [Data] = []
            for index in 0..<max(0, unsafe c_sk_X509_num(certificates)) {
                let certificate = unsafe c_sk_X509_value(certificates, index)
                found.append(Data(try unsafe derBytes { unsafe i2d_X509(certificate, $0) }))
            }
            return found
        }
    }
}
